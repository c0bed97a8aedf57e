/** Where short messages appear (ui/tell.tsx). Loaded after the first page, because none is shown before. */
import { Notifications } from '@mantine/notifications';
import { motionMs } from '../theme.js';

export const Messages = () => (
  <Notifications position="bottom-left" className="messages" autoClose={5000} transitionDuration={motionMs} />
);
