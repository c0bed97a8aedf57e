/** Errors about destinations and deliveries. */
import { entry } from './error-entry.js';

export const deliveryErrors = {
  destination_not_found: entry(
    'not_found',
    'Destination not found',
    'The account has no destination with this id.',
    'Check the id.',
  ),
  too_many_destinations: entry(
    'conflict',
    'A form or project can have at most {limit} destinations',
    'The form or project has the maximum number of destinations.',
    'Delete destinations that are no longer used.',
  ),
  built_in_destination: entry(
    'conflict',
    'This destination stands for webhook_url or notify_emails. Change it there.',
    'A built-in destination cannot be deleted, and its `config` cannot be changed.',
    'Change `webhook_url` or `notify_emails` of the form or project.',
  ),
  delivery_not_found: entry(
    'not_found',
    'Delivery not found',
    'The account has no delivery with this id.',
    'Check the id.',
  ),
  attempt_not_found: entry(
    'not_found',
    'Attempt not found',
    'The delivery has no attempt with this number, or its details were deleted.',
    'Check its number. Of each delivery the last 50 attempts are kept.',
  ),
  replay_not_found: entry(
    'not_found',
    'Replay not found',
    'The account has no replay with this id.',
    'Check the id.',
  ),
  too_many_replays: entry(
    'conflict',
    '{limit} replays are running already',
    'The account has the maximum number of running replays.',
    'Wait until one has finished, or cancel one.',
  ),
  replay_ended: entry(
    'conflict',
    'The replay has ended already',
    'It finished, or was cancelled before.',
    'Nothing is left to cancel.',
  ),
  delivery_in_flight: entry(
    'conflict',
    'The webhook is being sent at this moment',
    'An attempt of this delivery is running.',
    'Wait for the result, then retry.',
  ),
  no_webhook_url: entry(
    'conflict',
    'No webhook URL is configured',
    'Neither the form nor its project has a webhook URL.',
    'Set `webhook_url` on the form or its project.',
  ),
} as const;
