/** What every tab of a form is given. */
import type { FormFull } from '../../wire.js';

export interface FormTabProps {
  readonly form: FormFull;
}
