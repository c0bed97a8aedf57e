/** Everything the palette can reach: forms, projects, actions, settings, pages and documentation. Open items come first. */
import { useMantineColorScheme } from '@mantine/core';
import {
  IconCopy,
  IconDeviceDesktop,
  IconFolder,
  IconForms,
  IconKeyboard,
  IconLogout,
  IconMoon,
  IconPlus,
  IconSun,
} from '@tabler/icons-react';
import { useQueries, useQueryClient } from '@tanstack/react-query';
import { useRoute } from 'wouter';
import { usePermissions } from '../may.js';
import { formsOfProject, keys, useProjects } from '../queries.js';
import { useSigningOut } from '../ui/sign-out.js';
import type { FormItem, ProjectItem, Submission } from '../wire.js';
import * as common from '../words/common.js';
import * as words from '../words/palette.js';
import * as places from '../words/places.js';
import type { Entry, Group } from './entries.js';
import { documentPages, formTabs, pages, projectTabs, sectionsOf, tabsOf } from './places.js';

/** The forms of further projects are not loaded. */
const maxProjects = 50;

/** The palette's actions beyond opening pages. */
export interface Works {
  readonly createProject: () => void;
  readonly createForm: (projectId: string) => void;
  readonly copy: (text: string, done: string) => void;
  readonly help: () => void;
}

interface NamedForm extends Pick<FormItem, 'id' | 'name' | 'endpoint'> {
  readonly project: ProjectItem;
}

/** The form of the current page, if it has one. */
function useOpenFormId(): string | undefined {
  const client = useQueryClient();
  const [, form] = useRoute('/forms/:id/*?');
  const [, submission] = useRoute('/submissions/:id');
  return form?.id ?? client.getQueryData<Submission>(keys.submission(submission?.id ?? ''))?.form_id;
}

const firstWhere = <Item>(items: readonly Item[], isFirst: (item: Item) => boolean): readonly Item[] => [
  ...items.filter(isFirst),
  ...items.filter((item) => !isFirst(item)),
];

/** All projects and their forms, with those of the current page first. */
function useNamed(isWanted: boolean) {
  const projects = useProjects().data ?? [];
  const answers = useQueries({
    queries: projects
      .slice(0, maxProjects)
      .map(({ id }) => ({ ...formsOfProject(id), enabled: isWanted, staleTime: 60_000 })),
  });
  const forms = answers.flatMap(({ data }, index): readonly NamedForm[] => {
    const project = projects[index];
    return project === undefined ? [] : (data?.data ?? []).map((form) => ({ ...form, project }));
  });
  const openFormId = useOpenFormId();
  const [, openProject] = useRoute('/projects/:id/*?');
  const openForm = forms.find(({ id }) => id === openFormId);
  const projectId = openForm?.project.id ?? openProject?.id;
  return {
    projects: firstWhere(projects, ({ id }) => id === projectId),
    forms: firstWhere(forms, ({ id }) => id === openFormId),
    openForm,
    isLooking: answers.some(({ isPending }) => isPending),
  };
}

const nameOf = ({ name, project }: NamedForm): string => `${name} · ${project.name}`;

const action = (label: string, icon: Entry['icon'], act: () => void, alias = ''): Entry => ({
  key: `action:${label}`,
  label,
  hint: '',
  alias,
  icon,
  target: { act },
});

function useActions(works: Works, projects: readonly ProjectItem[], form: NamedForm | undefined) {
  const { setColorScheme } = useMantineColorScheme();
  const signOut = useSigningOut();
  const may = usePermissions();
  const creations = projects
    .filter(({ id }) => may('forms.manage', id))
    .map(({ id, name }) =>
      action(words.createForm(name), IconPlus, () => works.createForm(id), words.createAlias),
    );
  return [
    ...(form === undefined
      ? []
      : [
          action(
            words.copyEndpoint(form.name),
            IconCopy,
            () => works.copy(form.endpoint, words.endpointCopied),
            words.copyEndpointAlias,
          ),
        ]),
    ...creations.slice(0, 1),
    ...(may('projects.create')
      ? [action(words.createProject, IconPlus, works.createProject, words.createAlias)]
      : []),
    action(words.useLight, IconSun, () => setColorScheme('light'), words.schemeAlias),
    action(words.useDark, IconMoon, () => setColorScheme('dark'), words.schemeAlias),
    action(words.useSystem, IconDeviceDesktop, () => setColorScheme('auto'), words.systemSchemeAlias),
    action(words.showShortcuts, IconKeyboard, works.help, words.helpAlias),
    action(common.signOut, IconLogout, signOut, words.signOutAlias),
    ...creations.slice(1),
  ];
}

export function useGroups(isWanted: boolean, works: Works) {
  const { projects, forms, openForm, isLooking } = useNamed(isWanted);
  const actions = useActions(works, projects, openForm);
  const may = usePermissions();
  const hasFormSettings = ({ project }: NamedForm) => may('forms.manage', project.id);
  const hasProjectSettings = ({ id }: ProjectItem) => may('projects.manage', id);
  const groups: readonly Group[] = [
    {
      name: common.forms,
      entries: forms.map(({ id, name, project }) => ({
        key: `form:${id}`,
        label: name,
        hint: project.name,
        icon: IconForms,
        target: { to: `/forms/${id}` },
      })),
    },
    {
      name: places.projects,
      entries: projects.map(({ id, name }) => ({
        key: `project:${id}`,
        label: name,
        hint: '',
        icon: IconFolder,
        target: { to: `/projects/${id}` },
      })),
    },
    {
      name: words.pages,
      entries: pages.filter(({ permission }) => permission === null || may(permission)),
    },
    { name: words.actions, entries: actions },
    {
      name: common.settings,
      isOnDemand: true,
      entries: [
        ...forms
          .filter(hasFormSettings)
          .flatMap((form) => sectionsOf(`/forms/${form.id}`, nameOf(form), words.formSections)),
        ...projects
          .filter(hasProjectSettings)
          .flatMap(({ id, name }) => sectionsOf(`/projects/${id}`, name, words.projectSections)),
      ],
    },
    {
      name: words.tabs,
      isOnDemand: true,
      entries: [
        ...forms.flatMap((form) =>
          tabsOf(`/forms/${form.id}`, nameOf(form), formTabs, hasFormSettings(form)),
        ),
        ...projects.flatMap((project) =>
          tabsOf(`/projects/${project.id}`, project.name, projectTabs, hasProjectSettings(project)),
        ),
      ],
    },
    { name: words.documentation, isOnDemand: true, entries: documentPages },
  ];
  return { groups, forms, isLooking };
}
