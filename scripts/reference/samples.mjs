/** Code that sends a recorded request, with curl, JavaScript and Python, without anything to install. */

/** The address of the reader's instance in every sample. */
const base = 'http://localhost:3000';
const longestLine = 60;

const indented = (text, spaces) => text.replaceAll('\n', `\n${' '.repeat(spaces)}`);

/** Credentials stay out of the code: they come from the environment. */
const credentials = {
  key: { name: 'Authorization', before: 'Bearer ', variable: 'INLET_API_KEY' },
  session: { name: 'Cookie', before: 'inlet_session=', variable: 'INLET_SESSION' },
};

function requestOf({ method, path }, { request, response }) {
  const { params, query, caller, headers, type, body } = request;
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name]));
  const search = new URLSearchParams(query).toString();
  const credential = credentials[caller] ?? null;
  const [, file] = /filename="([^"]+)"/.exec(response.headers['content-disposition'] ?? '') ?? [];
  return {
    method,
    url: `${base}${filled}${search && `?${search}`}`,
    credential,
    headers: {
      // Required, because without it a request with a cookie could come from a page of another site.
      ...(caller === 'session' && method !== 'GET' && { Origin: base }),
      ...headers,
      ...(type && { 'Content-Type': type }),
    },
    body,
    isText: typeof body === 'string',
    /** The file for the content of a response that is not for reading. */
    file: file ?? (response.status === 302 ? 'photo.webp' : undefined),
    isStream: response.type === 'text/event-stream',
    isRedirect: response.status === 302,
    isEmpty: response.type === null && response.status !== 302,
    isJson: /json$/.test(response.type ?? '') && response.type !== 'application/x-ndjson',
  };
}

const compactJson = (value) =>
  JSON.stringify(value).replace(/"(?:[^"\\]|\\.)*"|[:,]/g, (part) =>
    /^[:,]$/.test(part) ? `${part} ` : part,
  );
const shortOrTall = (value, short) => (short.length <= longestLine ? short : JSON.stringify(value, null, 2));

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

function curl({ method, url, credential, headers, body, isText, file, isRedirect, isStream }) {
  const data = isText ? body : body && shortOrTall(body, compactJson(body));
  const isPlain = method === 'GET' || (method === 'POST' && data !== undefined);
  const options = [
    isRedirect && '--location',
    isStream && '--no-buffer',
    credential && `-H "${credential.name}: ${credential.before}$${credential.variable}"`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    data !== undefined && `${isText ? '--data-binary' : '-d'} ${quoted(data)}`,
    file && `--output ${file}`,
  ].filter(Boolean);
  return [`curl ${isPlain ? '' : `-X ${method} `}${quoted(url)}`, ...options].join(' \\\n  ');
}

const jsString = (text) =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
const jsName = (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : jsString(name));

function jsValue(value) {
  if (typeof value === 'string') return jsString(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const isList = Array.isArray(value);
  const members = isList
    ? value.map(jsValue)
    : Object.entries(value).map(([name, inner]) => `${jsName(name)}: ${jsValue(inner)}`);
  if (members.length === 0) return isList ? '[]' : '{}';
  const short = isList ? `[${members.join(', ')}]` : `{ ${members.join(', ')} }`;
  if (short.length <= longestLine && !short.includes('\n')) return short;
  const tall = members.map((member) => `  ${indented(member, 2)},`).join('\n');
  return isList ? `[\n${tall}\n]` : `{\n${tall}\n}`;
}

function javaScript({ method, url, credential, headers, body, isText, file, isStream, isEmpty, isJson }) {
  const headerLines = [
    credential && `${credential.name}: \`${credential.before}\${process.env.${credential.variable}}\`,`,
    ...Object.entries(headers).map(([name, value]) => `${jsName(name)}: ${jsString(value)},`),
  ].filter(Boolean);
  const options = [
    method !== 'GET' && `method: '${method}',`,
    headerLines.length === 1 && `headers: { ${headerLines[0].slice(0, -1)} },`,
    headerLines.length > 1 && `headers: {\n${headerLines.map((line) => `    ${line}`).join('\n')}\n  },`,
    body !== undefined &&
      `body: ${isText ? jsString(body) : `JSON.stringify(${indented(jsValue(body), 2)})`},`,
  ].filter(Boolean);
  const given = options.length === 0 ? '' : `, {\n${options.map((line) => `  ${line}`).join('\n')}\n}`;
  const call = `const response = await fetch(${jsString(url)}${given});`;
  if (isStream)
    return `${call}\nfor await (const chunk of response.body.pipeThrough(new TextDecoderStream())) console.log(chunk);`;
  if (file)
    return `${call}\nconst content = await response.arrayBuffer();\nconsole.log(response.status, content.byteLength);`;
  if (isEmpty) return `${call}\nconsole.log(response.status);`;
  return `${call}\nconsole.log(response.status, await response.${isJson ? 'json' : 'text'}());`;
}

const pythonWords = { true: 'True', false: 'False', null: 'None' };
const pythonString = (text) => JSON.stringify(text);

function pythonValue(value) {
  if (typeof value === 'string') return pythonString(value);
  if (typeof value !== 'object' || value === null) return pythonWords[String(value)] ?? String(value);
  const isList = Array.isArray(value);
  const members = isList
    ? value.map(pythonValue)
    : Object.entries(value).map(([name, inner]) => `${pythonString(name)}: ${pythonValue(inner)}`);
  const [open, close] = isList ? '[]' : '{}';
  const short = `${open}${members.join(', ')}${close}`;
  if (short.length <= longestLine && !short.includes('\n')) return short;
  return `${open}\n${members.map((member) => `    ${indented(member, 4)},`).join('\n')}\n${close}`;
}

function python({ method, url, credential, headers, body, isText, file, isStream, isEmpty, isJson }) {
  const headerLines = [
    credential && `"${credential.name}": f"${credential.before}{os.environ['${credential.variable}']}",`,
    ...Object.entries(headers).map(([name, value]) => `${pythonString(name)}: ${pythonString(value)},`),
  ].filter(Boolean);
  const data = isText
    ? `${pythonString(body)}.encode()`
    : `json.dumps(${indented(pythonValue(body), 4)}).encode()`;
  const options = [
    `${pythonString(url)},`,
    method !== 'GET' && `method="${method}",`,
    headerLines.length > 0 && `headers={\n${headerLines.map((line) => `        ${line}`).join('\n')}\n    },`,
    body !== undefined && `data=${data},`,
  ].filter(Boolean);
  const usesJson = (body !== undefined && !isText) || (isJson && !file);
  const modules = [usesJson && 'json', credential && 'os', 'urllib.request'].filter(Boolean);
  const result = isStream
    ? 'for line in response:\n        print(line.decode(), end="")'
    : isEmpty
      ? 'print(response.status)'
      : `print(response.status, ${file ? 'len(response.read())' : isJson ? 'json.load(response)' : 'response.read().decode()'})`;
  return [
    `import ${modules.join(', ')}`,
    '',
    `request = urllib.request.Request(\n${options.map((line) => `    ${line}`).join('\n')}\n)`,
    'with urllib.request.urlopen(request) as response:',
    `    ${result}`,
  ].join('\n');
}

/** Keys are the info strings of the code blocks. */
export function samplesOf(operation, exchange) {
  const request = requestOf(operation, exchange);
  return {
    'sh [curl]': curl(request),
    'js [JavaScript]': javaScript(request),
    'python [Python]': python(request),
  };
}
