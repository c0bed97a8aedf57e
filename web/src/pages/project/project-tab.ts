/** What every tab of a project is given. */
import type { ProjectFull } from '../../wire.js';

export interface ProjectTabProps {
  readonly project: ProjectFull;
}
