/** Beside addresses that get an e-mail: whether this instance sends any. */
import { Alert } from '@mantine/core';
import { useInstance } from '../queries.js';

export function MailNotice() {
  const instance = useInstance();
  if (instance.data?.mail.is_configured !== false) return null;
  return (
    <Alert color="gray" title="This instance sends no e-mail yet">
      Set <span className="mono">SMTP_URL</span> and <span className="mono">MAIL_FROM</span>, and start it
      again.
    </Alert>
  );
}
