/** The files that visitors of the demo send: generated here, so that none have to be shipped. */
import type { DemoFile } from './forms.js';

export interface FileContent {
  readonly type: string;
  readonly bytes: Buffer;
}

const colours = ['#0f6e6e', '#30475e', '#7a4b6b', '#4d6a3f', '#8a5a2b'] as const;

/** Images with different numbers look different. */
export async function demoFile(name: DemoFile, number: number): Promise<FileContent> {
  if (name === 'cv.pdf') return { type: 'application/pdf', bytes: pdf(`CV ${number}`) };
  const colour = colours[number % colours.length] ?? colours[0];
  return { type: 'image/jpeg', bytes: await picture(colour, (name === 'photo.jpg' ? scene : head)(number)) };
}

const scene = (number: number): string =>
  `<circle cx="${120 + ((number * 97) % 520)}" cy="${100 + ((number * 41) % 120)}" r="60" fill="#f4d35e"/>
   <path d="M0 600 L${200 + ((number * 53) % 200)} 260 L480 470 L640 330 L800 600 Z" fill="#fff" fill-opacity=".25"/>
   <rect y="470" width="800" height="130" fill="#fff" fill-opacity=".3"/>`;

const head = (): string =>
  `<circle cx="400" cy="240" r="120" fill="#f2a365"/><ellipse cx="400" cy="580" rx="240" ry="190" fill="#f4e3c1"/>`;

async function picture(colour: string, shapes: string): Promise<Buffer> {
  const { default: sharp } = await import('sharp');
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="800" height="600"><rect width="800" height="600" fill="${colour}"/>${shapes}</svg>`;
  return sharp(Buffer.from(drawing)).jpeg({ quality: 80 }).toBuffer();
}

/** One page with one line. */
function pdf(line: string): Buffer {
  const content = `BT /F1 24 Tf 72 720 Td (${line}) Tj ET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const at = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(at).padStart(10, '0')} 00000 n \n`;
  });
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}`;
  return Buffer.from(
    `${text}${table}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`,
  );
}
