/** The form settings covered by the save bar. Each section shows some of them. */
import type { UseFormReturnType } from '@mantine/form';
import type { FormBody, FormFull } from '../../wire.js';

/** Set elsewhere: in the form menu and in the field rules. */
type SetElsewhere = 'is_archived' | 'fields' | 'unknown_fields';

export const formSettingsOf = (form: FormFull) =>
  ({
    name: form.name,
    is_active: form.is_active,
    success_redirect: form.success_redirect,
    wait_for_webhook: form.wait_for_webhook,
    page_title: form.page_title,
    page_text: form.page_text,
    page_logo_url: form.page_logo_url,
    page_color: form.page_color,
    hosted_page: form.hosted_page,
    hosted_page_title: form.hosted_page_title,
    hosted_page_text: form.hosted_page_text,
    hosted_page_indexed: form.hosted_page_indexed,
    allowed_origins: form.allowed_origins,
    validation_mode: form.validation_mode,
    sandbox_ips: form.sandbox_ips,
    sandbox_api_key: form.sandbox_api_key,
    blocked_ips: form.blocked_ips,
    captcha_enabled: form.captcha_enabled,
    captcha_provider: form.captcha_provider,
    captcha_site_key: form.captcha_site_key,
    // Never returned by the server; null leaves it unchanged.
    captcha_secret_key: null as string | null,
    webhook_url: form.webhook_url,
    notify_emails: form.notify_emails,
    allowed_cc_emails: form.allowed_cc_emails,
    autoresponder: form.autoresponder,
    double_opt_in: form.double_opt_in,
    retention_days: form.retention_days,
    file_retention_days: form.file_retention_days,
    redact_fields: form.redact_fields,
    store_ip: form.store_ip,
    store_user_agent: form.store_user_agent,
    opens_at: form.opens_at,
    closes_at: form.closes_at,
    max_submissions: form.max_submissions,
  }) satisfies Required<Omit<FormBody, SetElsewhere>>;

export type FormSettings = ReturnType<typeof formSettingsOf>;

type TextSetting = {
  [Name in keyof FormSettings]: FormSettings[Name] extends string | null ? Name : never;
}[keyof FormSettings];

/** Props for an optional text input. */
export const textProps = (form: UseFormReturnType<FormSettings>, name: TextSetting) => ({
  value: form.values[name] ?? '',
  onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
    form.setFieldValue(name, value.trim() === '' ? null : value),
  error: form.errors[name],
});

export interface FormSettingsProps {
  readonly stored: FormFull;
  /** The values being edited. */
  readonly form: UseFormReturnType<FormSettings>;
}
