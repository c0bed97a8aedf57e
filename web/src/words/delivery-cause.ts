/** The results of a delivery attempt. */
export const addressNotAllowed = 'Not sent: the address is not allowed';
export const connectionClosed = 'The endpoint closed the connection';
export const connectionNotInTime = 'Could not connect in time';
export const connectionNotWithin = (time: string): string => `Could not connect within ${time}`;
export const connectionRefused = 'Could not connect: refused';
export const endpointGone = 'The endpoint is gone; no more attempts are made';
export const headersTooLarge = 'The response headers were too large';
/** Rounded to whole seconds: a limit of 15 s ends after 15 004 ms. */
export const limit = (ms: number): string =>
  ms < 950 ? `${Math.round(ms)} ms` : `${Math.round(ms / 1000)} s`;
export const nameHasNoAddress = 'Could not connect: the name has no address';
export const nameNotFound = 'Could not connect: the name could not be looked up';
export const noDestination = 'there is no destination';
export const noResponseInTime = 'No response in time';
export const noResponseWithin = (time: string): string => `No response within ${time}`;
export const noRoute = 'Could not connect: no route to the endpoint';
export const notHttp = 'The response was not valid HTTP';
export const redirects = 'The endpoint redirects, and redirects are not followed';
export const redirectsWith = (status: number): string =>
  `The endpoint returned ${status}: redirects are not followed`;
export const returned = (status: number): string => `The endpoint returned ${status}`;
export const returnedClientError = 'The endpoint returned an error (4xx)';
export const returnedServerError = 'The endpoint returned an error (5xx)';
export const stopped = (reason: string): string => `Stopped: ${reason}`;
export const tlsFailed = 'Could not connect securely: TLS failed';
