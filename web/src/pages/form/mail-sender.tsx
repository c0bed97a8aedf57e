/** Who a mail to visitors comes from, and where their replies go. */
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
  /** Of the input of a setting. */
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
