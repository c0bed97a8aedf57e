/** Where submissions of a form are sent, by the form and by its project. */
import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import { DestinationList } from '../destinations/destination-list.js';
import type { FormTabProps } from './form-tab.js';

export const DestinationsTab = ({ form: { id, project_id } }: FormTabProps) => (
  <>
    <DestinationList
      owner={{ formId: id }}
      title="Destinations"
      words="Each new submission is sent to all of these."
    />
    <DestinationList
      owner={{ projectId: project_id }}
      title="From the project"
      words={
        <>
          These get the submissions of all forms. Change them in the{' '}
          <Anchor component={Link} href={`/projects/${project_id}/destinations`} inherit underline="always">
            project
          </Anchor>
          .
        </>
      }
      isReadOnly
    />
  </>
);
