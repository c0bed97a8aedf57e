/** A page of settings: sections that explain themselves, one save bar for all of them, and a wrong value said at its field. */
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

/** The fields in which `values` differs. */
const changesOf = <Values extends Fields>(values: Values, known: Values): Partial<Values> =>
  Object.fromEntries(
    Object.entries(values).filter(([field, value]) => JSON.stringify(value) !== JSON.stringify(known[field])),
  ) as Partial<Values>;

const isSame = <Values extends Fields>(left: Values, right: Values): boolean =>
  Object.keys(changesOf(left, right)).length === 0;

export interface Settings<Values> {
  readonly form: UseFormReturnType<Values>;
  readonly isChanged: boolean;
  /** Why the last attempt to save failed. */
  readonly failure: string | null;
  /** How often an attempt failed. */
  readonly failures: number;
  readonly save: () => void;
  readonly discard: () => void;
}

/**
 * The values of a page of settings, all saved with one request that holds only what was changed. What the server says meanwhile is
 * shown, except in fields that were changed. For another form or project the component gets another key, so that values
 * never reach it.
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
      // What was typed since then stays.
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
  /** The sections that the save bar saves. */
  readonly children: ReactNode;
  /** Sections that act at once. */
  readonly others?: ReactNode;
}

/** The titles of the sections, as they are drawn: some come and go, and other files add their own. */
function useTitles(page: RefObject<HTMLElement | null>): readonly string[] {
  const [titles, setTitles] = useState<readonly string[]>([]);
  useLayoutEffect(() => {
    const sections = page.current?.querySelectorAll('section.section') ?? [];
    const found = Array.from(sections, (section) => section.ariaLabel ?? '');
    setTitles((now) => (now.join('\n') === found.join('\n') ? now : found));
  });
  return titles;
}

/** The way to a section, beside them all; a phone has no room for it. */
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

/** Sections, one below the other. */
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

/** The fields and the bar that saves them. After an attempt that failed, the first wrong field has the focus. */
export function SavedForm<Values>({ settings, children, others = null }: SettingsPageProps<Values>) {
  const { form, isChanged, failure, failures, save, discard } = settings;
  const id = useId();
  const element = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (failures > 0) element.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [failures]);
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

/** `Who may submit` is reached at `#who-may-submit`. */
export const anchorOf = (title: string): string => title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

/** Title and explanation at the left, content at the right; one below the other on a phone. */
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

/** Fields, one below the other. */
export const Section = ({ children, ...frame }: SectionFrameProps) => (
  <SectionFrame {...frame}>
    <Stack gap="md">{children}</Stack>
  </SectionFrame>
);

/** Something that failed beside a field, in its words. */
export const failureWords = (error: unknown): string =>
  error instanceof ApiError && error.details[0] !== undefined
    ? `${error.details[0].path} ${error.details[0].message}`
    : wordsOf(error);
