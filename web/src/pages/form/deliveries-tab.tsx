import { DeliveriesList } from '../deliveries/deliveries-list.js';
import type { FormTabProps } from './form-tab.js';

export const DeliveriesTab = ({ form }: FormTabProps) => <DeliveriesList owner={{ formId: form.id }} />;
