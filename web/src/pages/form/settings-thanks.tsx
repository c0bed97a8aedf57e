/** How the pages look that visitors without JavaScript see, and what the thank-you page says. */
import { Anchor, ColorSwatch, Text, Textarea, TextInput } from '@mantine/core';
import { Section } from '../../ui/settings-section.js';
import type { FormSettingsProps } from './form-settings.js';

const maxTitleLength = 100;
const maxTextLength = 500;

type PageSetting = 'page_title' | 'page_text' | 'page_logo_url' | 'page_color';

export function SettingsThanks({ stored: { endpoint }, form }: FormSettingsProps) {
  const { success_redirect, page_color } = form.values;
  const field = (name: PageSetting) => ({
    value: form.values[name] ?? '',
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
      form.setFieldValue(name, value.trim() === '' ? null : value),
    error: form.errors[name],
  });
  const color = page_color ?? '';
  return (
    <Section
      title="Thank-you page"
      words={
        <>
          What visitors without JavaScript see. Logo and colour are on error pages too.{' '}
          <Anchor href={`${endpoint}/success`} target="_blank" rel="noreferrer" inherit underline="always">
            Open the page
          </Anchor>
        </>
      }
    >
      {success_redirect !== null && (
        <Text size="sm">Visitors go to your own page after submitting; they see only the error pages.</Text>
      )}
      <TextInput
        label="Title"
        description="Empty: “Thank you” in the visitor's language."
        maxLength={maxTitleLength}
        {...field('page_title')}
      />
      <Textarea
        label="Text"
        description="Plain text, at most 500 characters. Empty: a sentence in the visitor's language."
        maxLength={maxTextLength}
        autosize
        minRows={2}
        {...field('page_text')}
      />
      <TextInput
        type="url"
        label="Logo URL"
        description="An image on your website, https only."
        placeholder="https://example.com/logo.svg"
        spellCheck={false}
        {...field('page_logo_url')}
      />
      <TextInput
        label="Colour"
        description="Six hexadecimal digits. The text on it becomes black or white, whichever is easier to read."
        placeholder="#0c6464"
        maxLength={7}
        spellCheck={false}
        rightSection={/^#[0-9a-f]{6}$/i.test(color) && <ColorSwatch color={color} size={16} />}
        {...field('page_color')}
      />
    </Section>
  );
}
