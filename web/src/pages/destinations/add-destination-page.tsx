/** Adds a destination to a form or project: first the kind, then its settings. */
import { SimpleGrid, Text, ThemeIcon, Title } from '@mantine/core';
import { Link, useSearch } from 'wouter';
import { useCreateDestination } from '../../destination-queries.js';
import { leaveFor } from '../../navigation.js';
import { type Owner, pathOf, useForm, useProject } from '../../queries.js';
import type { PageProps } from '../../ui/lazy-part.js';
import { LoadingPage } from '../../ui/loading.js';
import { PageHead } from '../../ui/page-head.js';
import { ProblemState } from '../../ui/problem-state.js';
import { tellDone } from '../../ui/tell.js';
import type { KindName } from '../../wire.js';
import * as common from '../../words/common.js';
import * as words from '../../words/destinations.js';
import { creationOf } from './destination-draft.js';
import { DestinationForm } from './destination-form.js';
import { kinds } from './kinds.js';

const isKind = (name: string | null): name is KindName => name !== null && Object.hasOwn(kinds, name);

function KindCards({ path }: { readonly path: string }) {
  return (
    <SimpleGrid
      component="nav"
      aria-label={words.kinds}
      cols={{ base: 1, xs: 2, md: 3 }}
      spacing="sm"
      maw={1040}
    >
      {Object.entries(kinds).map(([kind, { title, icon: Icon, words: description }]) => (
        <Link key={kind} href={`${path}?kind=${kind}`} className="panel row kind-card">
          <ThemeIcon variant="light" color="gray" size={36} aria-hidden>
            <Icon />
          </ThemeIcon>
          <span>
            <Text span size="sm" fw={600} display="block">
              {title}
            </Text>
            <Text span size="sm" c="dimmed" display="block">
              {description}
            </Text>
          </span>
        </Link>
      ))}
    </SimpleGrid>
  );
}

function NewDestination({ owner, kind }: { readonly owner: Owner; readonly kind: KindName }) {
  const create = useCreateDestination(owner);
  return (
    <DestinationForm
      owner={owner}
      kind={kind}
      stored={null}
      action={words.addDestination}
      onSave={async (draft) => {
        const made = await create.mutateAsync(creationOf(kind, draft));
        tellDone(words.added(made.name));
        leaveFor(`/destinations/${made.id}`);
        return made;
      }}
    />
  );
}

export function AddDestinationPage({ params: { formId = '', projectId = '' } }: PageProps) {
  const kind = new URLSearchParams(useSearch()).get('kind');
  const form = useForm(formId);
  const project = useProject(formId === '' ? projectId : (form.data?.project_id ?? ''));
  const shown = formId === '' ? project : form;
  if (shown.isPending) return <LoadingPage />;
  if (shown.isLoadingError) return <ProblemState error={shown.error} retry={() => void shown.refetch()} />;
  const owner: Owner = formId === '' ? { projectId } : { formId };
  const path = `${pathOf(owner)}/destinations`;
  return (
    <>
      <PageHead
        title={isKind(kind) ? words.addKind(kinds[kind].title) : words.addDestination}
        trail={[
          { label: common.projects, to: '/projects' },
          { label: project.data?.name ?? '…', to: `/projects/${project.data?.id ?? ''}` },
          ...(form.data === undefined ? [] : [{ label: form.data.name, to: `/forms/${formId}` }]),
          { label: common.destinations, to: path },
        ]}
      />
      {isKind(kind) ? (
        <NewDestination key={kind} owner={owner} kind={kind} />
      ) : (
        <>
          <Title order={2} mb="sm">
            {words.addQuestion}
          </Title>
          <KindCards path={`${path}/new`} />
        </>
      )}
    </>
  );
}
