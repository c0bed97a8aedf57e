/** Errors about files and images. */
import { entry } from './error-entry.js';

export const fileErrors = {
  file_access_denied: entry(
    'forbidden',
    'Access denied to this file',
    'The file belongs to another account, or the token of the link is wrong or expired.',
    'Use a key of the account that owns the file, or a link that has not expired.',
  ),
  file_not_found: entry('not_found', 'File not found', 'No file has this id.', 'Check the id.'),
  file_deleted: entry(
    'gone',
    'File has been deleted',
    'The file, or its submission, was deleted.',
    'The file cannot be restored.',
  ),
  precondition_failed: entry(
    'precondition_failed',
    'The file is not the one you have',
    '`If-Match` or `If-Unmodified-Since` names another version of the file.',
    'Download the file again without `If-Match` and `If-Unmodified-Since`.',
  ),
  range_not_satisfiable: entry(
    'range_not_satisfiable',
    'The file has no such range',
    '`Range` starts after the end of the file.',
    'Request a range within `file_size_bytes`.',
  ),
  not_an_image: entry(
    'invalid',
    'Invalid request body',
    'The request asks for another size or format of a file that is not an image.',
    'Only PNG, JPEG, WebP, GIF and AVIF images can be transformed. Download the original.',
  ),
  no_preview: entry(
    'invalid',
    'Invalid request body',
    'The file is neither a PDF nor text.',
    'Only PDFs and texts have a preview. Download the file.',
  ),
  image_transformation_not_in_plan: entry(
    'payment_required',
    'Image transformation requires a Business or Enterprise plan',
    'The plan of the account does not include image transformation.',
    'Upgrade the plan at `upgrade_url`, or download the original.',
  ),
  image_too_large: entry(
    'unprocessable',
    'The image has too many pixels',
    'The image has more pixels than the service decodes.',
    'Download the original. `limit_pixels` is the limit.',
  ),
  image_broken: entry(
    'unprocessable',
    'The image is broken',
    'The image cannot be decoded.',
    'Download the original.',
  ),
  image_too_slow: entry(
    'unprocessable',
    'The image takes too long to transform',
    'The transformation took longer than allowed.',
    'Download the original.',
  ),
  imaging_failed: entry(
    'unavailable',
    'The image could not be transformed. Please try again later.',
    'The process that transforms images failed.',
    'Retry after the seconds in `Retry-After`.',
  ),
} as const;
