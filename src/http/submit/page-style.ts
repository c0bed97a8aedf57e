/** The only stylesheet of the visitor pages. Its name contains its hash, so that browsers may cache it forever. */
import { createHash } from 'node:crypto';

/**
 * Lengths are in rem, so that a larger font size makes everything larger. Every pair of colours passes AA, which the test verifies. The
 * marks are drawn with borders, because forced colours preserve those.
 */
export const visitorStyle = `:root{color-scheme:light dark;--ink:#1b2325;--quiet:#566164;--paper:#f3f5f5;--card:#fff;--line:#dce2e3;--accent:#0c6464;--wait:#855600;--stop:#b0332b}
@media(prefers-color-scheme:dark){:root{--ink:#e8eded;--quiet:#a0abad;--paper:#121617;--card:#1a2021;--line:#2e3739;--accent:#62c8c3;--wait:#e2b45f;--stop:#f2958c}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;min-height:100svh;display:grid;place-items:center;padding:1rem;background:var(--paper);color:var(--ink);font:1rem/1.55 system-ui,sans-serif;overflow-wrap:anywhere}
main{width:100%;max-width:28rem;padding:clamp(1.5rem,8vw,2.5rem);background:var(--card);border:1px solid var(--line);border-radius:1rem;box-shadow:0 1px 2px #0000000a,0 12px 32px #0000000d}
.mark{position:relative;width:3rem;height:3rem;margin:0 0 1.5rem;border:.125rem solid;border-radius:50%;background:color-mix(in srgb,currentColor 9%,transparent)}
.mark::before,.mark::after{content:"";position:absolute;border:0 solid}
.done{color:var(--accent)}
.done::before{left:.98rem;top:.62rem;width:.75rem;height:1.25rem;border-width:0 .19rem .19rem 0;transform:rotate(42deg)}
.wait{color:var(--wait)}
.wait::before{left:calc(50% - .09rem);bottom:calc(50% - .09rem);width:.7rem;height:.95rem;border-width:0 0 .19rem .19rem}
.stop{color:var(--stop)}
.stop::before{left:calc(50% - .1rem);top:.62rem;height:.9rem;border-left-width:.2rem}
.stop::after{left:calc(50% - .14rem);bottom:.62rem;border-width:.14rem;border-radius:50%}
img{display:block;max-width:100%;max-height:4rem;margin:0 0 1.5rem}
p{margin:0 0 .75rem;text-wrap:pretty;white-space:pre-line}
.name,.hint,.detail{color:var(--quiet);font-size:.875rem}
.name{margin:0 0 .375rem}
h1{margin:0 0 .625rem;font-size:1.5rem;font-weight:650;line-height:1.25;letter-spacing:-.01em;text-wrap:balance}
.detail{margin:1.5rem 0 0;padding-top:1rem;border-top:1px solid var(--line);font-family:ui-monospace,monospace;font-size:.8125rem}
a,button{display:inline-block;margin-top:.75rem;padding:.55rem 1rem;border:1px solid;border-radius:.5rem;color:var(--accent);font:inherit;font-weight:500;text-decoration:none}
button{background:var(--accent);border-color:var(--accent);color:var(--card);cursor:pointer}
a:hover,button:hover{text-decoration:underline;text-underline-offset:.2em}
:focus-visible{outline:3px solid var(--accent);outline-offset:3px}
ul{margin:0 0 .75rem;padding-inline-start:1.25rem}
li+li{margin-top:.375rem}
li>:first-child{display:table}
main>:last-child{margin-bottom:0}
`;

const hash = createHash('sha256').update(visitorStyle).digest('hex').slice(0, 16);

/** Relative to the base URL. */
export const visitorStylePath = `assets/visitor-${hash}.css`;
