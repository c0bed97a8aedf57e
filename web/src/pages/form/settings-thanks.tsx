/** The look of the pages for visitors without JavaScript, and the text of the thank-you page. */
import { Anchor, ColorSwatch, Text, Textarea, TextInput } from '@mantine/core';
import { Section } from '../../ui/settings-section.js';
import * as words from '../../words/form-settings.js';
import { type FormSettingsProps, textProps } from './form-settings.js';

const maxTitleLength = 100;
const maxTextLength = 500;

export function SettingsThanks({ stored: { endpoint }, form }: FormSettingsProps) {
  const { success_redirect, page_color } = form.values;
  const color = page_color ?? '';
  return (
    <Section
      title={words.thankYouPage}
      words={words.thankYouPageDescription(
        <Anchor href={`${endpoint}/success`} target="_blank" rel="noreferrer" inherit underline="always">
          {words.openThePage}
        </Anchor>,
      )}
    >
      {success_redirect !== null && <Text size="sm">{words.thankYouPageUnused}</Text>}
      <TextInput
        label={words.title}
        description={words.titleDescription}
        maxLength={maxTitleLength}
        {...textProps(form, 'page_title')}
      />
      <Textarea
        label={words.text}
        description={words.textDescription}
        maxLength={maxTextLength}
        autosize
        minRows={2}
        {...textProps(form, 'page_text')}
      />
      <TextInput
        type="url"
        label={words.logoUrl}
        description={words.logoUrlDescription}
        placeholder="https://example.com/logo.svg"
        spellCheck={false}
        {...textProps(form, 'page_logo_url')}
      />
      <TextInput
        label={words.colour}
        description={words.colourDescription}
        placeholder="#0c6464"
        maxLength={7}
        spellCheck={false}
        rightSection={/^#[0-9a-f]{6}$/i.test(color) && <ColorSwatch color={color} size={16} />}
        {...textProps(form, 'page_color')}
      />
    </Section>
  );
}
