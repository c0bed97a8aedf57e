/** The destinations for submissions of all forms of a project. */

import * as common from '../../words/common.js';
import * as words from '../../words/project.js';
import { DestinationList } from '../destinations/destination-list.js';
import type { ProjectTabProps } from './project-tab.js';

export const DestinationsTab = ({ project }: ProjectTabProps) => (
  <DestinationList
    owner={{ projectId: project.id }}
    title={common.destinations}
    words={words.destinationsDescription}
  />
);
