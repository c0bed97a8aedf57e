/** Shown beside e-mail addresses when this instance cannot send e-mail. */
import { Alert } from '@mantine/core';
import { useInstance } from '../queries.js';
import * as words from '../words/settings-page.js';

export function MailNotice() {
  const instance = useInstance();
  if (instance.data?.mail.is_configured !== false) return null;
  return (
    <Alert color="gray" title={words.noMail}>
      {words.noMailHelp(<span className="mono">SMTP_URL</span>, <span className="mono">MAIL_FROM</span>)}
    </Alert>
  );
}
