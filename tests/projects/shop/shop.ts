/** The shop: its tables, and what agents may do with them. Tools are called by a customer who has signed in to the shop's pages. */
import { createServer, defineTool, type Principal } from "toolwire";
import { bullmqEngine } from "toolwire/engines/bullmq";
import { mcp } from "toolwire/mcp";
import { rest } from "toolwire/rest";
import pg from "pg";
import { z } from "zod";

const {
  POSTGRES_URL = "postgres://127.0.0.1:5432/shop",
  KEYS = "k1:keys-of-a-developer-of-32-bytes-or-more",
} = process.env;

export const pool = new pg.Pool({ connectionString: POSTGRES_URL });

export async function migrate() {
  await pool.query("create table if not exists products (id text primary key, name text, cents int, stock int)");
  await pool.query("create table if not exists orders (id serial primary key, customer text, product text)");
  await pool.query("insert into products values ('mug', 'Mug', 900, 3), ('pen', 'Pen', 250, 0) on conflict do nothing");
}

const Product = z.object({ id: z.string(), name: z.string(), cents: z.int() });

const tool = defineTool.for<{ principal: Principal }>();

const searchProducts = tool("search_products")
  .describe("Find products of the shop")
  .input(z.object({ text: z.string().default("") }))
  .output(z.array(Product))
  .annotate({ readOnlyHint: true })
  .handle(async ({ text }) => {
    const { rows } = await pool.query("select * from products where name ilike $1 order by id", [`%${text}%`]);
    return rows; // with the stock, which is not for customers
  });

const order = tool("order")
  .describe("Order a product")
  .input(z.object({ product: z.string() }))
  .errors({ sold_out: z.object({ product: z.string() }) })
  .handle(async ({ product }, ctx) => {
    const answer = await ctx.elicit("sure", {
      message: `Order ${product}?`,
      schema: z.object({ sure: z.boolean() }),
    });
    if (answer.action !== "accept" || !answer.content.sure) return { ordered: false };
    // One statement, so that neither an order without a product nor a product without an order remains.
    const { rowCount } = await pool.query(
      `with taken as (update products set stock = stock - 1 where id = $1 and stock > 0 returning id)
       insert into orders (customer, product) select $2, id from taken`,
      [product, ctx.principal.id],
    );
    if (rowCount === 0) throw ctx.fail("sold_out", `No ${product} is left`, { product });
    return { ordered: true, customer: ctx.principal.id };
  });

const invoice = tool("invoice")
  .describe("The invoice of my orders, as CSV")
  .annotate({ readOnlyHint: true })
  .handle(async (_, ctx) => {
    const { rows } = await pool.query("select product from orders where customer = $1", [ctx.principal.id]);
    const csv = ["product", ...rows.map(({ product }) => product)].join("\n");
    return new File([csv], "invoice.csv", { type: "text/csv" });
  });

const report = tool("report")
  .describe("A report that takes a while")
  .promise({ budgetMs: 50 })
  .handle(async (_, ctx) => {
    await ctx.sleep("night", 1_000);
    const { rows } = await pool.query("select count(*)::int as orders from orders");
    return rows[0] as { orders: number };
  });

export const server = createServer({
  name: "shop",
  version: "1.0.0",
  tools: [searchProducts, order, invoice, report],
  wires: [mcp(), rest()],
  engine: bullmqEngine({ postgres: POSTGRES_URL, leaseMs: 2_000 }),
  keys: KEYS,
});

export const close = async () => {
  await server.close();
  await pool.end();
};
