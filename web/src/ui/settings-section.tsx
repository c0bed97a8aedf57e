/** A settings page: sections with explanations, one save bar for all, and errors shown at their fields. */
import { Anchor, Box, Stack, Text, Title } from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { type ReactNode, type RefObject, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { ApiError, wordsOf } from '../api.js';
import { DocumentLink } from '../help/document-link.js';
import { sectionPlaces } from '../help/sections.js';
import { useAnchor, useUnsaved } from '../navigation.js';
import * as common from '../words/common.js';
import * as words from '../words/settings-page.js';
import { learnMoreAbout } from '../words/settings-page.js';
import { faultsByField, faultsByPath } from './field-faults.js';
import { checkFields, SaveBar } from './save-bar.js';
import { tellDone } from './tell.js';

type Fields = Readonly<Record<string, unknown>>;

/** The fields whose values differ from `known`. */
const changesOf = <Values extends Fields>(values: Values, known: Values): Partial<Values> =>
  Object.fromEntries(
    Object.entries(values).filter(([field, value]) => JSON.stringify(value) !== JSON.stringify(known[field])),
  ) as Partial<Values>;

const isSame = <Values extends Fields>(left: Values, right: Values): boolean =>
  Object.keys(changesOf(left, right)).length === 0;

export interface Settings<Values> {
  readonly form: UseFormReturnType<Values>;
  readonly isChanged: boolean;
  /** Why the last save failed. */
  readonly failure: string | null;
  /** The number of failed saves. */
  readonly failures: number;
  readonly save: () => void;
  readonly discard: () => void;
}

/**
 * The values of a settings page, saved with one request that contains only the changes. Updates from the server are shown, except in
 * changed fields. Give the component another key for each form or project, so that values never carry over.
 */
export function useSettings<Stored, Values extends Fields>(
  stored: Stored,
  valuesOf: (stored: Stored) => Values,
  save: (changed: Partial<Values>) => Promise<Stored>,
): Settings<Values> {
  const current = valuesOf(stored);
  const [failure, setFailure] = useState<string | null>(null);
  const form = useForm<Values>({ initialValues: current, onValuesChange: () => setFailure(null) });
  const [known, setKnown] = useState(current);
  const [failures, setFailures] = useState(0);
  const isChanged = !isSame(form.values, known);
  useUnsaved(isChanged);
  const told = useRef(current);
  const take = (values: Values, changed: Partial<Values>) => {
    setKnown(values);
    form.setValues({ ...values, ...changed });
  };
  useEffect(() => {
    if (form.submitting || isSame(current, told.current)) return;
    told.current = current;
    take(current, changesOf(form.values, known));
  });
  const fail = (error: unknown, entered: Values) => {
    const faults = faultsByField(error, entered);
    form.setErrors({ ...faultsByPath(error), ...faults });
    setFailure(
      Object.keys(faults).some((field) => field in entered) ? checkFields : words.notSaved(wordsOf(error)),
    );
    setFailures((before) => before + 1);
  };
  const submit = form.onSubmit(async (entered) => {
    setFailure(null);
    try {
      const saved = await save(changesOf(entered, known));
      // Keeps what was typed while saving.
      take(valuesOf(saved), changesOf(form.getValues(), entered));
      tellDone(words.saved);
    } catch (error) {
      fail(error, entered);
    }
  });
  const discard = () => form.setValues(known);
  return { form, isChanged, failure, failures, save: () => submit(), discard };
}

interface SettingsPageProps<Values> {
  readonly settings: Settings<Values>;
  /** The sections covered by the save bar. */
  readonly children: ReactNode;
  /** Sections whose changes apply immediately. */
  readonly others?: ReactNode;
}

/** The section titles as rendered: some are conditional, and other files add their own. */
function useTitles(page: RefObject<HTMLElement | null>): readonly string[] {
  const [titles, setTitles] = useState<readonly string[]>([]);
  useLayoutEffect(() => {
    const sections = page.current?.querySelectorAll('section.section') ?? [];
    const found = Array.from(sections, (section) => section.ariaLabel ?? '');
    setTitles((now) => (now.join('\n') === found.join('\n') ? now : found));
  });
  return titles;
}

/** Links to the sections, beside them. A phone has no room for it. */
function SectionIndex({ titles }: { readonly titles: readonly string[] }) {
  const [path] = useLocation();
  return (
    <nav className="section-index" aria-label={words.sections}>
      {titles.map((title) => (
        <Anchor key={title} component={Link} href={`${path}#${anchorOf(title)}`}>
          {title}
        </Anchor>
      ))}
    </nav>
  );
}

/** Stacked sections with an index. */
export function SectionedPage({ children }: { readonly children: ReactNode }) {
  const page = useRef<HTMLDivElement>(null);
  const titles = useTitles(page);
  return (
    <div className="settings">
      <SectionIndex titles={titles} />
      <div className="settings-sections" ref={page}>
        {children}
      </div>
    </div>
  );
}

export const SettingsPage = <Values,>(props: SettingsPageProps<Values>) => (
  <SectionedPage>
    <SavedForm {...props} />
  </SectionedPage>
);

/** After each failed save, the first invalid field of the form gets the focus. */
export function useFaultFocus(failures: number): RefObject<HTMLFormElement | null> {
  const element = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (failures > 0) element.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [failures]);
  return element;
}

/** The fields and their save bar. */
export function SavedForm<Values>({ settings, children, others = null }: SettingsPageProps<Values>) {
  const { form, isChanged, failure, failures, save, discard } = settings;
  const id = useId();
  const element = useFaultFocus(failures);
  return (
    <>
      <form
        id={id}
        ref={element}
        onSubmit={(event) => {
          event.preventDefault();
          if (isChanged) save();
        }}
        noValidate
      >
        {children}
      </form>
      {others}
      <SaveBar
        formId={id}
        isChanged={isChanged}
        isSaving={form.submitting}
        failure={failure}
        onDiscard={discard}
      />
    </>
  );
}

interface SectionFrameProps {
  readonly title: string;
  readonly words: ReactNode;
  readonly children: ReactNode;
}

/** `Who may submit` becomes `#who-may-submit`. */
export const anchorOf = (title: string): string => title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

/** Title and explanation on the left, content on the right; stacked on a phone. */
export function SectionFrame({ title, words, children }: SectionFrameProps) {
  const id = anchorOf(title);
  const place = sectionPlaces.get(title);
  return (
    <section ref={useAnchor<HTMLElement>(id)} id={id} tabIndex={-1} aria-label={title} className="section">
      <Box className="section-words">
        <Title order={2} mb={4}>
          {title}
        </Title>
        <Text size="sm" c="dimmed" component="div">
          {words}
        </Text>
        {place && (
          <Text size="sm" mt={4}>
            <DocumentLink place={place} label={learnMoreAbout(title)}>
              {common.learnMore}
            </DocumentLink>
          </Text>
        )}
      </Box>
      <Box>{children}</Box>
    </section>
  );
}

/** A section of stacked fields. */
export const Section = ({ children, ...frame }: SectionFrameProps) => (
  <SectionFrame {...frame}>
    <Stack gap="md">{children}</Stack>
  </SectionFrame>
);

/** The error text for a failed action beside a field. */
export const failureWords = (error: unknown): string =>
  error instanceof ApiError && error.details[0] !== undefined
    ? `${error.details[0].path} ${error.details[0].message}`
    : wordsOf(error);
