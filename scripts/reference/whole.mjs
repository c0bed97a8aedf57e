/** The OpenAPI document with shared parameters and responses copied into each operation. References to schemas stay. */
export function whole(document) {
  const find = (part) =>
    part.$ref === undefined
      ? part
      : part.$ref
          .slice(2)
          .split('/')
          .reduce((at, key) => at[key], document);
  const each = (parts, change) =>
    Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, change(part)]));
  const operation = ({ parameters, responses, ...rest }) => ({
    ...rest,
    ...(parameters && { parameters: parameters.map(find) }),
    responses: each(responses, find),
  });
  return { ...document, paths: each(document.paths, (methods) => each(methods, operation)) };
}
