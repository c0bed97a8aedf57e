/** The plan and its limits. */
import { formatNumber, formatPercent } from './format.js';

// The page
export const included = 'Included';
export const notIncluded = 'Not included';
export const shareUsed = (label: string, share: number): string =>
  `${label}: ${formatPercent(share)} of the plan used`;
export const largestPlan = 'This is the largest plan. It includes everything.';
export const nextPlanAdds = (plan: string, adds: string): string => `${plan} adds ${adds}`;
export const changePlanDescription =
  'The operator of this instance changes the plan with this command. It takes effect within seconds.';
export const changePlanCommand = 'Command that changes the plan';
export const ofUnlimited = 'no limit';
export const ofLimit = (n: number): string => `of ${formatNumber(n)}`;
export const whatThePlanAllows = 'What the plan allows';
export const fileUploads = 'File uploads';
export const imageTransformation = 'Image transformation';
export const imageTransformationHint = 'Uploaded pictures in any size and format.';
export const largestFile = 'Largest file';
export const filesInASubmission = 'Files in a submission';
export const largestSubmission = 'Largest submission';
export const plan = 'Plan';

// The plans
export const starter = 'Starter';
export const pro = 'Pro';
export const business = 'Business';
export const enterprise = 'Enterprise';
export const proAdds = 'file uploads and up to 25 projects';
export const businessAdds = 'image transformation and up to 100 projects';
export const enterpriseAdds = 'as many projects as you like';
