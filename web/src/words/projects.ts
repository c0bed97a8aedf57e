/** The list of projects. */

// Create a project
export const createProject = 'Create project';
export const createProjectDescription =
  'Usually one website. Its forms share a webhook, origins and a rate limit.';
export const websiteExample = 'Website';

// The list
export const noneYetHint =
  'A project holds the forms of one website. Create the first one to get an address that your page can post to.';
export const noneYet = 'No projects yet';
export const project = 'Project';
export const slug = 'Slug';
