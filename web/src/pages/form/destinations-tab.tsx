/** The destinations of a form: its own and its project's. */
import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import * as common from '../../words/common.js';
import * as words from '../../words/form.js';
import { DestinationList } from '../destinations/destination-list.js';
import type { FormTabProps } from './form-tab.js';

export const DestinationsTab = ({ form: { id, project_id } }: FormTabProps) => (
  <>
    <DestinationList
      owner={{ formId: id }}
      title={common.destinations}
      words={words.destinationsDescription}
    />
    <DestinationList
      owner={{ projectId: project_id }}
      title={words.fromTheProject}
      words={words.fromTheProjectDescription(
        <Anchor component={Link} href={`/projects/${project_id}/destinations`} inherit underline="always">
          {words.projectLink}
        </Anchor>,
      )}
      isReadOnly
    />
  </>
);
