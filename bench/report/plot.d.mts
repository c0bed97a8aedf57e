export interface Axis {
  readonly label: string;
  readonly log?: boolean;
}

export interface Drawing {
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly lines: readonly {
    readonly label: string;
    readonly points: readonly (readonly [number, number | null])[];
  }[];
  readonly goal?: { readonly value: number; readonly label: string };
}

export function plot(drawing: Drawing): string;
