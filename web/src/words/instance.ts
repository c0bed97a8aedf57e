/** The instance and the state of its parts. */
import type { ReactNode } from 'react';
import { count, formatBytes, formatDuration } from './format.js';
import { sentence } from './sentence.js';

// The checks
export const database = 'Database';
export const storageOfFiles = 'File storage';
export const disk = 'Disk';
export const diskFree = (place: string, bytes: number): string => `${place}, ${formatBytes(bytes)} free`;
export const diskFullHint =
  'When the disk is full, submissions are rejected. Free space, or delete data you no longer need.';
export const deliveryQueue = 'Delivery queue';
export const queueEmpty = 'Nothing is waiting';
export const queueOnTime = (waiting: number): string =>
  count(waiting, { one: '# delivery waiting, none is late', other: '# deliveries waiting, none is late' });
export const queueLate = (waiting: number, ms: number): string =>
  count(waiting, {
    one: `# delivery waiting, the oldest is late by ${formatDuration(ms)}`,
    other: `# deliveries waiting, the oldest is late by ${formatDuration(ms)}`,
  });
export const queueSlowHint = 'Endpoints are slow, or many submissions arrived at once. It will catch up.';
export const queueStuckHint = 'Look at the deliveries of your projects and at the log.';
export const email = 'E-mail';
export const mailSet = 'A mail server is set';
export const mailNotSet = 'No mail server is set';
export const mailNotSetHint = 'Notifications are not sent. Set SMTP_URL and MAIL_FROM to send them.';

// The page
export const stateGood = 'Good';
export const stateBad = 'Needs attention';
export const stateOff = 'Off';
export const opensANewWindow = 'opens a new window';
export const roleAll = 'Requests and deliveries';
export const roleApi = 'Requests (api)';
export const roleWorker = 'Deliveries (worker)';
export const processes = 'Processes';
export const processIs = (host: ReactNode, pid: ReactNode, version: ReactNode): ReactNode =>
  sentence`${host}, process ${pid}, version ${version}`;
export const processTimes = (started: ReactNode, seen: ReactNode): ReactNode =>
  sentence`Started ${started}, last seen ${seen}`;
export const state = 'State';
export const thisProgram = 'This program';
export const version = 'Version';
export const started = 'Started';
export const runningFor = (started: ReactNode, ms: number): ReactNode =>
  sentence`${started}, running for ${formatDuration(ms)}`;
export const yourAddress = 'Your address';
export const copyAddress = 'Copy address';
export const copyAddressHint =
  'As forms see it. If this is the address of your proxy, name the proxy in TRUST_PROXY.';
export const healthCheck = 'Health check';
export const instance = 'Instance';
export const pageDescription = 'The program that serves this dashboard and your forms.';
