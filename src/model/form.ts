import type { Autoresponder } from '../contract/autoresponder.js';
import type { DoubleOptIn } from '../contract/double-opt-in.js';
import type { FieldRule, UnknownFields } from '../contract/field-rule.js';

export type ValidationMode = 'live' | 'sandbox';
export type CaptchaProvider = 'altcha' | 'turnstile' | 'hcaptcha' | 'recaptcha';

/** What an owner can set on a form. */
export interface FormSettings {
  readonly name: string;
  readonly webhookUrl: string | null;
  readonly successRedirect: string | null;
  readonly isActive: boolean;
  /** Closed to visitors, regardless of `isActive`. */
  readonly isArchived: boolean;
  readonly validationMode: ValidationMode;
  /** Empty: the project's list applies. */
  readonly allowedOrigins: readonly string[];
  readonly waitForWebhook: boolean;
  readonly captchaEnabled: boolean;
  readonly captchaProvider: CaptchaProvider;
  readonly captchaSiteKey: string | null;
  readonly captchaSecretKey: string | null;
  readonly sandboxIps: readonly string[];
  readonly sandboxApiKey: string | null;
  readonly blockedIps: readonly string[];
  readonly notifyEmails: readonly string[];
  /** The addresses that a page can name in `_cc`. */
  readonly allowedCcEmails: readonly string[];
  readonly retentionDays: number | null;
  /** null: as long as the submission. */
  readonly fileRetentionDays: number | null;
  /** Their values are removed once everything is delivered. */
  readonly redactFields: readonly string[];
  readonly storeIp: boolean;
  readonly storeUserAgent: boolean;
  /** For the thank-you page. null: the default text. */
  readonly pageTitle: string | null;
  readonly pageText: string | null;
  /** For all pages that visitors see. */
  readonly pageLogoUrl: string | null;
  /** `#rrggbb` */
  readonly pageColor: string | null;
  /** Rules for the fields. Empty: everything is accepted. */
  readonly fields: readonly FieldRule[];
  readonly unknownFields: UnknownFields;
  readonly opensAt: number | null;
  readonly closesAt: number | null;
  /** The form is closed while it has this many submissions. */
  readonly maxSubmissions: number | null;
  /** Whether the URL of the form shows a page with the form. */
  readonly hostedPage: boolean;
  /** null: the name of the form. */
  readonly hostedPageTitle: string | null;
  readonly hostedPageText: string | null;
  readonly hostedPageIndexed: boolean;
  /** The automatic reply to visitors. null: none. */
  readonly autoresponder: Autoresponder | null;
  /** null: submissions need no confirmation. */
  readonly doubleOptIn: DoubleOptIn | null;
}

export interface Form extends FormSettings {
  readonly id: string;
  readonly publicId: string;
  readonly projectId: string;
  readonly slug: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface FormListItem {
  readonly form: Form;
  readonly submissionsCount: number;
}

export const newFormDefaults: Omit<FormSettings, 'name' | 'sandboxApiKey'> = {
  webhookUrl: null,
  successRedirect: null,
  isActive: true,
  isArchived: false,
  validationMode: 'live',
  allowedOrigins: [],
  waitForWebhook: false,
  captchaEnabled: false,
  captchaProvider: 'altcha',
  captchaSiteKey: null,
  captchaSecretKey: null,
  sandboxIps: [],
  blockedIps: [],
  notifyEmails: [],
  allowedCcEmails: [],
  retentionDays: null,
  fileRetentionDays: null,
  redactFields: [],
  storeIp: true,
  storeUserAgent: true,
  pageTitle: null,
  pageText: null,
  pageLogoUrl: null,
  pageColor: null,
  fields: [],
  unknownFields: 'keep',
  opensAt: null,
  closesAt: null,
  maxSubmissions: null,
  hostedPage: false,
  hostedPageTitle: null,
  hostedPageText: null,
  hostedPageIndexed: false,
  autoresponder: null,
  doubleOptIn: null,
};
