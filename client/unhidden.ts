/**
 * A form as its prototype has it. A field named `elements`, `closest` or `append` hides the form's own member of that name, and what
 * people call their fields must not keep a form from being sent.
 */
export const unhidden = (form: HTMLFormElement): HTMLFormElement =>
  new Proxy(HTMLFormElement.prototype, {
    get(prototype, name) {
      const member: unknown = Reflect.get(prototype, name, form);
      return typeof member === 'function' ? member.bind(form) : member;
    },
  });
