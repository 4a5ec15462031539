/** The resources and templates: each is read, and followed while it is shown. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { UriTemplate } from "../../src/core/content/uri_template/uri_template.ts";
import { complete, contents, followResource, type PageResource } from "./content.ts";
import { ContentBlock } from "./content_block.tsx";
import { ContentPane, ContentScreen, RequestOutcome, useRequest, viewKey } from "./content_screen.tsx";
import { asSchema, type Json } from "./json_schema.ts";
import { route } from "./route.ts";
import { visible } from "./value.tsx";
import { counted } from "./words.ts";

const EXAMPLE = `const readme = defineResource("docs://readme")
  .title("Read me first")
  .mimeType("text/markdown")
  .read(() => "# Hello");

const server = createServer({ resources: [readme], wires: [mcp(), consolePage()] });`;

export function ResourcesScreen(): JSX.Element {
  const { resources } = contents.value ?? {};
  const { name } = route.value;
  // A link may name a resource that the server does not list. A read needs the wires of the server, as the lists do.
  const unlisted = name === "" || resources === undefined ? undefined : { uri: name, name };
  const chosen = resources?.find((one) => idOf(one) === name) ?? unlisted;
  const entries = (resources ?? []).map((one) => ({
    id: idOf(one),
    title: one.title ?? one.name,
    note: one.description ?? idOf(one),
    isTemplate: one.uriTemplate !== undefined,
  }));
  return (
    <ContentScreen screen="resources" entries={entries} chosen={chosen && idOf(chosen)} example={EXAMPLE}>
      {chosen !== undefined && <ResourceView key={viewKey(idOf(chosen))} resource={chosen} />}
    </ContentScreen>
  );
}

function idOf({ uri, uriTemplate = "" }: PageResource): string {
  return uri ?? uriTemplate;
}

function ResourceView({ resource }: { readonly resource: PageResource }): JSX.Element {
  const { title, name, description = "", mimeType, uriTemplate } = resource;
  const [args, setArgs] = useState<Json>({});
  const template = templateOf(uriTemplate);
  const uri = template?.expand(args as Readonly<Record<string, string>>) ?? idOf(resource);
  const [read, setRead] = useState("");
  const reading = useRequest("resources/read", () => uri, () => ({ uri }));
  const [isLive, changes] = useChanges(read === uri ? uri : "", () => void reading.ask());
  const properties = Object.fromEntries((template?.variables ?? []).map((one) => [one, { type: "string" }]));
  const ref = { type: "ref/resource", uri: uriTemplate };
  return (
    <ContentPane
      screen="resources"
      title="Resource"
      name={title ?? name}
      description={description}
      note={
        <>
          <code>{visible(uri)}</code>
          {mimeType !== undefined && <span>{visible(mimeType)}</span>}
          {isLive && (
            <span role="status">
              <span class="dot live" /> live, {counted(changes, "change")}
            </span>
          )}
        </>
      }
      schema={{ type: "object", properties, required: template?.variables ?? [] }}
      args={args}
      onArgs={setArgs}
      complete={contents.value?.canComplete === true
        ? (one, value) => complete(ref, one, value, asSchema(args))
        : undefined}
      action="Read"
      onSend={() => {
        setRead(uri);
        void reading.ask();
      }}
    >
      {read === uri && (
        <RequestOutcome
          {...reading}
          shown={(value) => {
            const parts = asSchema(value)["contents"];
            return (Array.isArray(parts) ? parts : []).map((part, at) => <ContentBlock key={at} block={part} />);
          }}
        />
      )}
    </ContentPane>
  );
}

/** A template as it is expanded; `undefined` if there is none, or if the page cannot read it. */
function templateOf(text: string | undefined): UriTemplate | undefined {
  try {
    return text === undefined ? undefined : new UriTemplate(text);
  } catch {
    return undefined;
  }
}

/** Follows a resource while it is shown. Returns whether the server sends its changes, and how many there were. */
function useChanges(uri: string, onChange: () => void): readonly [boolean, number] {
  const [isLive, setLive] = useState(false);
  const [changes, setChanges] = useState(0);
  // Acting as another caller changes it while the resource is shown.
  const canFollow = contents.value?.canSubscribe === true;
  useEffect(() => {
    setChanges(0);
    if (uri === "" || !canFollow) return;
    const left = new AbortController();
    void followResource(uri, left.signal, setLive, () => {
      setChanges((before) => before + 1);
      onChange();
    });
    return () => left.abort();
  }, [uri, canFollow]);
  return [isLive, changes];
}
