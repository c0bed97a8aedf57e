/** Forms in requests and responses: the settings that a request sends, and the three levels of detail in responses. */
import type { Autoresponder } from '../../contract/autoresponder.js';
import { type DoubleOptIn, usualDoubleOptIn } from '../../contract/double-opt-in.js';
import type { FormBody, FormCreated, FormFull, FormItem } from '../../contract/form.js';
import type { FormInput } from '../../domain/forms/service.js';
import { parseNetwork } from '../../kernel/addresses.js';
import { isoTime, isoTimeOrNull } from '../../kernel/clock.js';
import { type Principal, secretFor } from '../../model/account.js';
import { usualAutoresponder } from '../../model/autoresponder.js';
import type { Form, FormListItem, FormSettings } from '../../model/form.js';
import { hostList } from './projects.js';
import { type Sent, sentOnly } from './sent.js';

const networkList = (texts: readonly string[]): readonly string[] => [
  ...new Set(texts.flatMap((text) => parseNetwork(text)?.text ?? [])),
];

const toTime = (text: string | null | undefined): number | null | undefined =>
  text === null || text === undefined ? text : Date.parse(text);

const toAutoresponder = (sent: FormBody['autoresponder']): Autoresponder | null | undefined =>
  sent && { ...usualAutoresponder, ...sent };
const toDoubleOptIn = (sent: FormBody['double_opt_in']): DoubleOptIn | null | undefined =>
  sent && { ...usualDoubleOptIn, ...sent };

export const toInput = (body: FormBody): FormInput =>
  sentOnly<Sent<FormBody, FormSettings>>({
    name: body.name?.trim(),
    webhookUrl: body.webhook_url,
    successRedirect: body.success_redirect,
    isActive: body.is_active,
    isArchived: body.is_archived,
    validationMode: body.validation_mode,
    allowedOrigins: body.allowed_origins && hostList(body.allowed_origins),
    waitForWebhook: body.wait_for_webhook,
    captchaEnabled: body.captcha_enabled,
    captchaProvider: body.captcha_provider,
    captchaSiteKey: body.captcha_site_key,
    captchaSecretKey: body.captcha_secret_key,
    sandboxIps: body.sandbox_ips && networkList(body.sandbox_ips),
    sandboxApiKey: body.sandbox_api_key,
    blockedIps: body.blocked_ips && networkList(body.blocked_ips),
    notifyEmails: body.notify_emails,
    allowedCcEmails: body.allowed_cc_emails,
    retentionDays: body.retention_days,
    fileRetentionDays: body.file_retention_days,
    redactFields: body.redact_fields,
    storeIp: body.store_ip,
    storeUserAgent: body.store_user_agent,
    pageTitle: body.page_title,
    pageText: body.page_text,
    pageLogoUrl: body.page_logo_url,
    pageColor: body.page_color,
    fields: body.fields,
    unknownFields: body.unknown_fields,
    opensAt: toTime(body.opens_at),
    closesAt: toTime(body.closes_at),
    maxSubmissions: body.max_submissions,
    hostedPage: body.hosted_page,
    hostedPageTitle: body.hosted_page_title,
    hostedPageText: body.hosted_page_text,
    hostedPageIndexed: body.hosted_page_indexed,
    autoresponder: toAutoresponder(body.autoresponder),
    doubleOptIn: toDoubleOptIn(body.double_opt_in),
  });

/** Converts forms for responses. A form's endpoint starts with the URL of the instance. */
export function createFormShapes(baseUrl: string) {
  const toCreated = (form: Form): FormCreated => ({
    id: form.id,
    public_id: form.publicId,
    name: form.name,
    slug: form.slug,
    endpoint: `${baseUrl}/f/${form.publicId}`,
    is_active: form.isActive,
    created_at: isoTime(form.createdAt),
  });
  const toItem = ({ form, submissionsCount }: FormListItem): FormItem => ({
    ...toCreated(form),
    webhook_url: form.webhookUrl,
    success_redirect: form.successRedirect,
    validation_mode: form.validationMode,
    submissions_count: submissionsCount,
  });
  const toFull = (who: Principal, item: FormListItem): FormFull => ({
    ...toItem(item),
    is_archived: item.form.isArchived,
    project_id: item.form.projectId,
    allowed_origins: [...item.form.allowedOrigins],
    wait_for_webhook: item.form.waitForWebhook,
    captcha_enabled: item.form.captchaEnabled,
    captcha_provider: item.form.captchaProvider,
    captcha_site_key: item.form.captchaSiteKey,
    sandbox_ips: [...item.form.sandboxIps],
    sandbox_api_key: secretFor(who, item.form.projectId, item.form.sandboxApiKey),
    blocked_ips: [...item.form.blockedIps],
    notify_emails: [...item.form.notifyEmails],
    allowed_cc_emails: [...item.form.allowedCcEmails],
    retention_days: item.form.retentionDays,
    file_retention_days: item.form.fileRetentionDays,
    redact_fields: [...item.form.redactFields],
    store_ip: item.form.storeIp,
    store_user_agent: item.form.storeUserAgent,
    page_title: item.form.pageTitle,
    page_text: item.form.pageText,
    page_logo_url: item.form.pageLogoUrl,
    page_color: item.form.pageColor,
    fields: [...item.form.fields],
    unknown_fields: item.form.unknownFields,
    opens_at: isoTimeOrNull(item.form.opensAt),
    closes_at: isoTimeOrNull(item.form.closesAt),
    max_submissions: item.form.maxSubmissions,
    hosted_page: item.form.hostedPage,
    hosted_page_title: item.form.hostedPageTitle,
    hosted_page_text: item.form.hostedPageText,
    hosted_page_indexed: item.form.hostedPageIndexed,
    autoresponder: item.form.autoresponder,
    double_opt_in: item.form.doubleOptIn,
    updated_at: isoTime(item.form.updatedAt),
  });
  return { toCreated, toItem, toFull };
}
