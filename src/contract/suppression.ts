/** Why an address gets no more mails: it does not exist, its owner wants none, or its owner complained. */
export type SuppressionReason = 'bounced' | 'unsubscribed' | 'complained';
