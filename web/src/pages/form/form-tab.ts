/** The props of every tab of a form. */
import type { FormFull } from '../../wire.js';

export interface FormTabProps {
  readonly form: FormFull;
}
