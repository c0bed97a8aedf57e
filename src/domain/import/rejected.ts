/** The file cannot be imported as a whole. The message is for the user who chose it. */
export class ImportRejected extends Error {}
