interface Wish {
  readonly form: { readonly formId: string; readonly projectId: string; readonly publicId: string };
  readonly url: string;
  readonly count: number;
}
export function seedDeliveries(dataDir: string, wishes: readonly Wish[]): Promise<void>;
