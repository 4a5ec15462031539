/** Tools that each tenant calls for itself: who calls, and of which tenant, is in the token. */
import { defineTool, type Middleware, ToolError } from "toolwire";
import * as z from "zod";

/** Who calls, as the handlers want it. */
export interface Member {
  readonly id: string;
  readonly tenant: string;
}

/** Invoices by tenant. */
const invoices = new Map<string, Map<string, { id: string; amount: number; paid: boolean }>>();

function invoicesOf(tenant: string) {
  const found = invoices.get(tenant) ?? new Map();
  invoices.set(tenant, found);
  return found;
}

export const member: Middleware<{ member: Member }> = (ctx, next) => {
  const { principal } = ctx;
  if (principal?.tenant === undefined) throw new ToolError("permission_denied", "The token names no tenant");
  ctx.state.member = { id: principal.id, tenant: principal.tenant };
  return next();
};

const Invoice = z.object({ id: z.string(), amount: z.number(), paid: z.boolean() });

export const createInvoice = defineTool("create_invoice")
  .describe("Create an invoice")
  .input(z.object({ id: z.string(), amount: z.number().positive() }))
  .output(Invoice)
  .scopes("invoices:write")
  .use(member)
  .handle(({ id, amount }, ctx) => {
    const all = invoicesOf(ctx.state.member.tenant);
    if (all.has(id)) throw new ToolError("conflict", `There is an invoice ${id} already`);
    const invoice = { id, amount, paid: false, internalNote: "not for callers" };
    all.set(id, invoice);
    return invoice;
  });

export const listInvoices = defineTool("list_invoices")
  .describe("List the invoices of my team")
  .output(z.array(Invoice))
  .annotate({ readOnlyHint: true })
  .scopes("invoices:read")
  .use(member)
  .handle((_, ctx) => [...invoicesOf(ctx.state.member.tenant).values()]);

export const closeMonth = defineTool("close_month")
  .describe("Close a month: takes a while")
  .input(z.object({ month: z.string().regex(/^\d{4}-\d{2}$/) }))
  .output(z.object({ month: z.string(), tenant: z.string(), steps: z.array(z.string()) }))
  .scopes("invoices:write")
  .promise({ budgetMs: 100, ttlMs: 600_000 })
  .use(member)
  .handle(async ({ month }, ctx) => {
    const steps: string[] = [];
    for (const step of ["collect", "check", "book"]) {
      steps.push(await ctx.step(step, () => `${step} by ${ctx.state.member.id}`));
      ctx.progress(steps.length, 3, step);
      await ctx.sleep(`after ${step}`, 200);
    }
    return { month, tenant: ctx.state.member.tenant, steps };
  });
