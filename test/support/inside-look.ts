/** What no client may see in a response: a stack, an internal path, a module of the platform, SQL. */
export const insideLook =
  /node_modules|node:|\bdist\/|\/tmp\/|\.[jt]s:\d|\n\s+at |\bSQLITE|\bSELECT\b|\bINSERT\b|Error:/;
