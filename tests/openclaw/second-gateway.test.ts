// What needs no gateway to itself, but other settings than that of one-gateway.test.ts has. Each of these files can be run alone, too.

// First, because it begins with what is told where no session did anything.
import "./second-gateway/operate.ts";
import "./second-gateway/tools.ts";
import "./second-gateway/notices.ts";
