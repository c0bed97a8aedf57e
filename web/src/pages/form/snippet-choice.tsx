/** Ready-made code in the chosen language. */
import { Tabs } from '@mantine/core';
import { useSnippets } from '../../queries.js';
import { CodeBlock } from '../../ui/code/code-block.js';
import { LoadingFields } from '../../ui/loading.js';
import { ProblemState } from '../../ui/problem-state.js';
import * as words from '../../words/form.js';

export function SnippetChoice({ formId }: { readonly formId: string }) {
  const snippets = useSnippets(formId);
  if (snippets.isPending) return <LoadingFields fields={3} />;
  if (snippets.isLoadingError)
    return (
      <ProblemState
        title={words.snippetsNotLoaded}
        error={snippets.error}
        retry={() => void snippets.refetch()}
      />
    );
  return (
    <Tabs variant="outline" defaultValue={snippets.data.data[0]?.name ?? null} keepMounted={false}>
      <Tabs.List mb="sm" mx={0} className="tab-list">
        {snippets.data.data.map(({ name, title }) => (
          <Tabs.Tab key={name} value={name}>
            {title}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {snippets.data.data.map(({ name, title, language, code }) => (
        <Tabs.Panel key={name} value={name}>
          <CodeBlock language={language} code={code} label={words.snippetOf(title)} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
