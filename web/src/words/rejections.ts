/** Rejections: why requests were rejected, and how to fix it. */
import type { ReactNode } from 'react';
import { count } from './format.js';
import { sentence } from './sentence.js';

// Values seen in an example
export const seenNotInList = (seen: ReactNode): ReactNode => sentence`${seen} is not in the list`;
export const seenSent = (seen: ReactNode): ReactNode => sentence`${seen} was sent`;
export const seenOnLocalhost = (seen: ReactNode): ReactNode => sentence`${seen} is on localhost`;
export const seenNotRegistered = (seen: ReactNode): ReactNode => sentence`${seen} is not registered`;
export const seenBlocked = (seen: ReactNode): ReactNode => sentence`${seen} is blocked`;
export const times = (n: number): string => count(n, { one: '# time', other: '# times' });

// Apply a fix
export const saved = 'Saved. Applies from the next request.';
export const notSaved = 'The list was not changed';
export const listOfProject = (project: ReactNode, list: ReactNode): ReactNode =>
  sentence`The list comes from the project ${project} (${list}). Allow it there for all its forms, or give this form a list of its own that begins as a copy.`;
export const allowInTheProject = 'Allow in the project';
export const allowForThisForm = 'Allow for this form';

// Fixes
export const originOfFiles = 'Sent by files and sandboxed frames; it cannot be allowed';
export const originMissing = 'Programs can send without an origin if they send the service key';
export const setUpSandboxMode = 'Set up sandbox mode';
export const everyOriginAllowed = 'Every origin is allowed now';
export const originAllowed = 'Allowed now';
export const allowThisOrigin = 'Allow this origin';
export const allowThisOriginEffect = 'Pages on this host may then submit the form.';
export const formIsLive = 'The form is live now';
export const addressRegistered = 'Registered now';
export const registerThisAddress = 'Register this address';
export const registerThisAddressEffect = 'This address may then submit the form while it is in sandbox mode.';
export const addressUnblocked = 'No longer blocked';
export const unblockThisAddress = 'Unblock this address';
export const unblockNetworkEffect = (ip: string): string =>
  `The address ${ip} is blocked as part of a network: all addresses of it may then submit the form.`;
export const unblockThisAddressEffect = 'This address may then submit the form.';
export const openSettings = 'Open settings';
export const openProjectSettings = 'Open project settings';
export const openQuarantine = 'Open quarantine';
export const seeThePlan = 'See the plan';

// The reasons
export const originNotAllowed = 'Origin not allowed';
export const originNotAllowedWhy = 'The page that sent it is not in the list of allowed origins.';
export const addressNotRegistered = 'Address not registered';
export const addressNotRegisteredWhy =
  'The form is in sandbox mode and accepts submissions only from registered addresses.';
export const fromLocalhost = 'From localhost';
export const fromLocalhostWhy =
  'A live form rejects submissions from localhost. Use sandbox mode while you develop.';
export const formClosed = 'Form closed';
export const formClosedWhy = 'The form or its project is not active.';
export const blockedAddress = 'Blocked address';
export const blockedAddressWhy = 'The address is in the list of blocked addresses.';
export const wrongServiceKey = 'Wrong service key';
export const wrongServiceKeyWhy = 'The X-Service-Key does not match the key of the form.';
export const tooManyRequests = 'Too many requests';
export const tooManyRequestsWhy = 'One address sent more in a minute than the project allows.';
export const captchaFailed = 'CAPTCHA failed';
export const captchaFailedWhy = 'The CAPTCHA was not solved, or its keys are wrong.';
export const hiddenFieldFilledIn = 'Hidden field filled in';
export const hiddenFieldFilledInWhy = 'Only bots fill this in. Their submissions wait in quarantine.';
export const tooLarge = 'Too large';
export const tooLargeWhy = 'The request or one of its files is larger than allowed.';
export const unreadableContent = 'Unreadable content';
export const unreadableContentWhy = 'The form accepts JSON, URL-encoded and multipart data.';
export const notInThePlan = 'Not in the plan';
export const notInThePlanWhy = 'The plan of the account does not include file uploads.';
export const webhookCameBack = 'Webhook loop';
export const webhookCameBackWhy =
  'A webhook of this instance was sent back to this form. Check what your endpoint does with requests.';
export const fieldsNotValid = 'Fields not valid';
export const fieldsNotValidWhy = 'A value does not follow the rules of the form.';
export const redirectNotAllowed = 'Redirect not allowed';
export const redirectNotAllowedWhy =
  'The submission was stored, but its page asked for a redirect to a site that is not in the list of allowed origins.';
export const unknownReasonWhy = 'This version of the dashboard does not know this reason.';
export const otherReasons = 'Other reasons';
