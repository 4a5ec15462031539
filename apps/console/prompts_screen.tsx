/** The prompts: arguments with completion, and the messages that they make. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { complete, contents, type PagePrompt } from "./content.ts";
import { ContentBlock } from "./content_block.tsx";
import { ContentPane, ContentScreen, RequestOutcome, useRequest, viewKey } from "./content_screen.tsx";
import { asSchema, type Json } from "./json_schema.ts";
import { route } from "./route.ts";
import { visible } from "./value.tsx";

const EXAMPLE = `const review = definePrompt("review")
  .describe("Review a piece of code")
  .input(object({ code: string() }))
  .handle(({ code }) => user(\`Review this code: \${code}\`));

const server = createServer({ prompts: [review], wires: [mcp(), consolePage()] });`;

export function PromptsScreen(): JSX.Element {
  const { prompts = [] } = contents.value ?? {};
  const chosen = prompts.find(({ name }) => name === route.value.name);
  const entries = prompts.map(({ name, description = "" }) => ({ id: name, title: name, note: description }));
  return (
    <ContentScreen screen="prompts" entries={entries} chosen={chosen?.name} example={EXAMPLE}>
      {chosen !== undefined && <PromptView key={viewKey(chosen.name)} prompt={chosen} />}
    </ContentScreen>
  );
}

function PromptView({ prompt }: { readonly prompt: PagePrompt }): JSX.Element {
  const { name, title, description = "", arguments: parameters = [] } = prompt;
  const [args, setArgs] = useState<Json>({});
  const getting = useRequest("prompts/get", () => name, () => ({ name, arguments: args }));
  const properties = Object.fromEntries(parameters.map(({ name: one, required: _, ...texts }) => {
    return [one, { type: "string", ...texts }];
  }));
  const required = parameters.filter((one) => one.required === true).map((one) => one.name);
  const ref = { type: "ref/prompt", name };
  return (
    <ContentPane
      screen="prompts"
      title="Prompt"
      name={name}
      description={description}
      note={title === undefined || title === name ? "" : visible(title)}
      schema={{ type: "object", properties, required }}
      args={args}
      onArgs={setArgs}
      complete={contents.value?.canComplete === true
        ? (one, value) => complete(ref, one, value, asSchema(args))
        : undefined}
      action="Get messages"
      onSend={() => void getting.ask()}
    >
      <RequestOutcome {...getting} shown={(value) => <Messages messages={asSchema(value)["messages"]} />} />
    </ContentPane>
  );
}

function Messages({ messages }: { readonly messages: unknown }): JSX.Element {
  return (
    <ol class="messages">
      {(Array.isArray(messages) ? messages : []).map((message, at) => {
        const { role, content } = asSchema(message);
        return (
          <li key={at}>
            <h3>{visible(String(role))}</h3>
            <ContentBlock block={content} />
          </li>
        );
      })}
    </ol>
  );
}
