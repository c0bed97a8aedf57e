/** Code for an endpoint that uses the secret above to verify that requests come from Inlet. */
import { Stack, Tabs, Text } from '@mantine/core';
import { DocumentLink } from '../help/document-link.js';
import { CodeBlock } from '../ui/code/code-block.js';
import * as words from '../words/webhook.js';
import { samples } from './samples.js';

export const VerificationCode = () => (
  <Stack gap="xs">
    <Text size="sm" c="dimmed">
      {words.verificationHelp}{' '}
      <DocumentLink place="guides/webhooks.md#verify-a-webhook">{words.readGuide}</DocumentLink>
    </Text>
    <Tabs variant="outline" defaultValue={samples[0].title} keepMounted={false}>
      <Tabs.List mb="sm" className="tab-list">
        {samples.map(({ title }) => (
          <Tabs.Tab key={title} value={title}>
            {title}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {samples.map(({ title, language, code }) => (
        <Tabs.Panel key={title} value={title}>
          <CodeBlock code={code} language={language} label={words.verificationCodeIn(title)} />
        </Tabs.Panel>
      ))}
    </Tabs>
  </Stack>
);
