/** The sender name and reply-to address of an e-mail to visitors. */
import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import * as words from '../../words/visitor-mail.js';

interface TextInputProps {
  readonly value: string;
  readonly onChange: (event: { currentTarget: { value: string } }) => void;
  readonly error: ReactNode;
}

interface MailSenderProps {
  readonly fromNameDescription: string;
  /** Input props for a setting. */
  readonly propsOf: (setting: 'from_name' | 'reply_to') => TextInputProps;
}

export const MailSender = ({ fromNameDescription, propsOf }: MailSenderProps) => (
  <>
    <TextInput
      label={words.fromName}
      description={fromNameDescription}
      maxLength={100}
      {...propsOf('from_name')}
    />
    <TextInput
      type="email"
      label={words.replyTo}
      description={words.replyToDescription}
      placeholder="you@example.com"
      maxLength={254}
      {...propsOf('reply_to')}
    />
  </>
);
