/** The stylesheet of hosted pages: the one of visitor pages, and the form. */
import { createHash } from 'node:crypto';
import { visitorStyle } from './page-style.js';

/** Every pair of colours passes AA, and the border of an input has 3:1 (WCAG 1.4.11). */
export const hostedStyle = `${visitorStyle}:root{--edge:#7b878a;--field:#fff;--ground:#0c6464;--on:#fff;--inlet-error:var(--stop);--inlet-accent:var(--ground)}
@media(prefers-color-scheme:dark){:root{--edge:#7d898c;--field:#121617;--ground:#62c8c3;--on:#08201f}}
body{grid-template-columns:minmax(0,1fr)}
main{max-width:36rem}
h1{margin-bottom:.5rem}
.intro{color:var(--quiet);margin-bottom:0}
form{margin-top:1.75rem}
form>:last-child{margin-bottom:0}
.field{margin:0 0 1.25rem;padding:0;border:0;min-width:0}
label,legend{display:block;padding:0;margin:0 0 .375rem;font-weight:600;font-size:.9375rem;line-height:1.4}
.optional{color:var(--quiet);font-weight:400;font-size:.8125rem;margin-inline-start:.25rem}
.help{margin:-.125rem 0 .5rem;color:var(--quiet);font-size:.875rem;line-height:1.45}
.wrong{margin:0 0 .5rem;color:var(--stop);font-size:.875rem;font-weight:500}
.wrong:empty{display:none}
input,select,textarea,button{font:inherit;color:inherit}
input,select,textarea{display:block;width:100%;min-height:2.75rem;padding:.5rem .75rem;background:var(--field);border:1px solid var(--edge);border-radius:.5rem}
input:is([type=date],[type=time]){appearance:none;text-align:start}
textarea{min-height:8rem;resize:vertical;line-height:1.5}
::placeholder{color:var(--quiet);opacity:1}
[type=file]{padding:.5rem;border-style:dashed;font-size:.9375rem}
::file-selector-button{margin-inline-end:.75rem;padding:.375rem .75rem;border:1px solid var(--edge);border-radius:.375rem;background:var(--card);color:inherit;font:inherit;font-weight:500;cursor:pointer}
[type=checkbox],[type=radio]{flex:none;width:1.125rem;height:1.125rem;min-height:0;margin:.1875rem 0 0;accent-color:var(--ground)}
.choice>:last-child{min-width:0}
.choice{display:flex;gap:.625rem;align-items:flex-start;margin:0;padding:.375rem 0;font-weight:400;font-size:1rem;line-height:1.5;cursor:pointer}
.choice~:is(.help,.wrong){margin:0 0 0 1.75rem}
[aria-invalid=true]{border-color:var(--stop);box-shadow:0 0 0 1px var(--stop)}
:is(input,select,textarea,button):focus-visible{outline:3px solid var(--accent);outline-offset:1px}
button[type=submit]{display:block;width:100%;min-height:3rem;margin-top:.5rem;padding:.625rem 1.5rem;border:1px solid transparent;border-radius:.5rem;background:var(--ground);color:var(--on);font-weight:600;cursor:pointer}
button:hover{filter:brightness(1.08);text-decoration:none}
button:disabled{opacity:.6;cursor:default}
.trap{position:absolute;left:-9999px}
progress{display:block;height:.5rem;margin-top:.75rem}
[data-inlet-status]{margin:1rem 0 0;font-weight:500}
[data-inlet-status=error]{color:var(--stop)}
[data-inlet-status=success]{margin-top:1.25rem;padding-inline-start:1rem;border-inline-start:.25rem solid var(--ground);font-weight:400}
[data-inlet-status=success]::first-line{font-size:1.25rem;font-weight:650}
[data-inlet-status]:focus{outline:0}
main:has([data-inlet-status=success]) .intro,main:has([data-inlet-status=success]) .summary{display:none}
.summary{margin:1.5rem 0 0;padding:1rem 1.25rem;border:1px solid var(--stop);border-inline-start-width:.25rem;border-radius:.5rem}
.summary h2{margin:0 0 .25rem;font-size:1rem}
.summary ul{margin:0}
.summary a{font-weight:600;margin:0;padding:0;border:0;color:inherit;text-decoration:underline;text-underline-offset:.2em}
.framed body{display:block;min-height:0;padding:0;background:none}
.framed main{max-width:none;box-shadow:none}
@media(max-width:30rem){body{padding:0;background:var(--card)}main{border:0;border-radius:0;box-shadow:none;align-self:start}.framed main{border:1px solid var(--line);border-radius:1rem}}
`;

const hash = createHash('sha256').update(hostedStyle).digest('hex').slice(0, 16);

/** Relative to the base URL. */
export const hostedStylePath = `assets/hosted-${hash}.css`;
