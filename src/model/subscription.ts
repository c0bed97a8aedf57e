/** A recipient of the mails of a destination, until they unsubscribe. */
export interface Subscription {
  readonly accountId: string;
  readonly destinationId: string;
  readonly address: string;
}
