/** Gives the server sync-sqlite.mjs when it imports SQLite. */
const traced = new URL('./sync-sqlite.mjs', import.meta.url).href;

export async function resolve(specifier, context, next) {
  if (specifier !== '@photostructure/sqlite' || context.parentURL === traced) return next(specifier, context);
  return { url: traced, format: 'module', shortCircuit: true };
}
