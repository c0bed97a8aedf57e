/** The props of every tab of a project. */
import type { ProjectFull } from '../../wire.js';

export interface ProjectTabProps {
  readonly project: ProjectFull;
}
