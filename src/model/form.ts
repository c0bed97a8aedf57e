import type { Autoresponder } from '../contract/autoresponder.js';
import type { DoubleOptIn } from '../contract/double-opt-in.js';
import type { FieldRule, UnknownFields } from '../contract/field-rule.js';

export type ValidationMode = 'live' | 'sandbox';
export type CaptchaProvider = 'altcha' | 'turnstile' | 'hcaptcha' | 'recaptcha';

/** What an owner may set on a form. */
export interface FormSettings {
  readonly name: string;
  readonly webhookUrl: string | null;
  readonly successRedirect: string | null;
  readonly isActive: boolean;
  /** Closed for visitors, whatever `isActive` says. */
  readonly isArchived: boolean;
  readonly validationMode: ValidationMode;
  /** Empty: the project's list counts. */
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
  /** Whom a page may name in `_cc`. */
  readonly allowedCcEmails: readonly string[];
  readonly retentionDays: number | null;
  /** null: as long as their submission. */
  readonly fileRetentionDays: number | null;
  /** Their values go once everything is delivered. */
  readonly redactFields: readonly string[];
  readonly storeIp: boolean;
  readonly storeUserAgent: boolean;
  /** Of the thank-you page; null: in words of ours. */
  readonly pageTitle: string | null;
  readonly pageText: string | null;
  /** Of all pages for visitors. */
  readonly pageLogoUrl: string | null;
  /** `#rrggbb` */
  readonly pageColor: string | null;
  /** What its fields must hold; empty: everything is accepted. */
  readonly fields: readonly FieldRule[];
  readonly unknownFields: UnknownFields;
  readonly opensAt: number | null;
  readonly closesAt: number | null;
  /** While it has so many submissions, it is closed. */
  readonly maxSubmissions: number | null;
  /** Whether its address is a page with the form on it. */
  readonly hostedPage: boolean;
  /** null: its name. */
  readonly hostedPageTitle: string | null;
  readonly hostedPageText: string | null;
  readonly hostedPageIndexed: boolean;
  /** What visitors are replied; null: nothing. */
  readonly autoresponder: Autoresponder | null;
  /** null: a submission needs no confirmation. */
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
