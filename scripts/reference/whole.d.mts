export declare function whole<Document extends { readonly paths: object }>(document: Document): Document;
