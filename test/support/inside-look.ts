/** What no outsider may see in an answer: a stack, a path of ours, a module of the platform, SQL. */
export const insideLook =
  /node_modules|node:|\bdist\/|\/tmp\/|\.[jt]s:\d|\n\s+at |\bSQLITE|\bSELECT\b|\bINSERT\b|Error:/;
