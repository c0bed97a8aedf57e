/** What the forms of a project share. */
import type { ProjectTabProps } from './project-page.js';

export const SettingsTab = ({ project }: ProjectTabProps) => <p>{project.name}</p>;
