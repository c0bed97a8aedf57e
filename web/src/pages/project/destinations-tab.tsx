/** Where submissions of all forms of a project are sent. */
import { DestinationList } from '../destinations/destination-list.js';
import type { ProjectTabProps } from './project-tab.js';

export const DestinationsTab = ({ project }: ProjectTabProps) => (
  <DestinationList
    owner={{ projectId: project.id }}
    title="Destinations"
    words="Each new submission of any form is sent to all of these."
  />
);
