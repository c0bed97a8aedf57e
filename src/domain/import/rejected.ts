/** The file cannot be imported as a whole. The sentence is for the person who chose it. */
export class ImportRejected extends Error {}
