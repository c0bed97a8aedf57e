import { DeliveriesList } from '../deliveries/deliveries-list.js';
import type { ProjectTabProps } from './project-tab.js';

export const DeliveriesTab = ({ project }: ProjectTabProps) => (
  <DeliveriesList owner={{ projectId: project.id }} />
);
