/** The hosted page of the form: on or off, its texts, and how to embed it in a website. */
import { Anchor, Input, Switch, Text, Textarea, TextInput } from '@mantine/core';
import { CodeBlock } from '../../ui/code/code-block.js';
import { Section } from '../../ui/settings-section.js';
import type { FormFull } from '../../wire.js';
import * as words from '../../words/hosted-page.js';
import { type FormSettingsProps, textProps } from './form-settings.js';

const maxTitleLength = 100;
const maxTextLength = 1_000;

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '"': '&quot;' };
const attribute = (text: string): string => text.replace(/[&<"]/g, (found) => escapes[found] ?? found);

const embedCode = ({ endpoint, name, hosted_page_title }: FormFull): string =>
  `<iframe src="${attribute(endpoint)}" title="${attribute(hosted_page_title ?? name)}" height="600" style="width: 100%; border: 0"></iframe>
<script src="${attribute(endpoint.replace(/f\/[^/]*$/, ''))}inlet-embed.js" defer></script>`;

const PageLink = ({ endpoint }: Pick<FormFull, 'endpoint'>) =>
  words.opened(
    <Anchor href={endpoint} target="_blank" rel="noreferrer" inherit underline="always">
      {words.openThePage}
    </Anchor>,
  );

export function SettingsHosted({ stored, form }: FormSettingsProps) {
  return (
    <Section title={words.hostedPage} words={words.hostedPageDescription}>
      <Switch
        label={words.showThePage}
        description={words.showThePageDescription(stored.endpoint)}
        {...form.getInputProps('hosted_page', { type: 'checkbox' })}
      />
      {form.values.hosted_page && (
        <>
          <Text size="sm">
            {stored.fields.length === 0 ? (
              words.noRules
            ) : stored.hosted_page ? (
              <PageLink endpoint={stored.endpoint} />
            ) : (
              words.savedFirst
            )}
          </Text>
          <TextInput
            label={words.title}
            description={words.titleDescription}
            placeholder={form.values.name}
            maxLength={maxTitleLength}
            {...textProps(form, 'hosted_page_title')}
          />
          <Textarea
            label={words.text}
            description={words.textDescription}
            maxLength={maxTextLength}
            autosize
            minRows={2}
            {...textProps(form, 'hosted_page_text')}
          />
          <Switch
            label={words.indexed}
            description={words.indexedDescription}
            {...form.getInputProps('hosted_page_indexed', { type: 'checkbox' })}
          />
          <Input.Wrapper label={words.embed} labelElement="div">
            <Text size="xs" c="dimmed" mb={4}>
              {words.embedDescription}
            </Text>
            <CodeBlock language="html" code={embedCode(stored)} label={words.embed} />
          </Input.Wrapper>
        </>
      )}
    </Section>
  );
}
