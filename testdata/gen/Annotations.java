package gen;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import jdk.jfr.ContentType;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.MetadataDefinition;
import jdk.jfr.Name;
import jdk.jfr.Relational;

/** Annotations of our own, which JFR writes into a recording's metadata. */
final class Annotations {
    private Annotations() {
    }

    /** A content type of our own, which no reader can know. */
    @MetadataDefinition
    @ContentType
    @Name("gen.Celsius")
    @Label("Temperature")
    @Description("Degrees Celsius")
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.FIELD)
    @interface Celsius {
    }

    /** Ties the fields of several events together. */
    @MetadataDefinition
    @Relational
    @Name("gen.RequestId")
    @Label("Request Id")
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.FIELD)
    @interface RequestId {
    }

    /** A content type for the values of a setting. */
    @MetadataDefinition
    @ContentType
    @Name("gen.PathPrefix")
    @Label("Path Prefix")
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.TYPE)
    @interface PathPrefix {
    }

    /** One value of every type that an annotation in a recording can have. */
    @MetadataDefinition
    @Name("gen.Everything")
    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.TYPE, ElementType.FIELD})
    @interface Everything {
        boolean z() default true;

        byte b() default Byte.MIN_VALUE;

        short s() default Short.MIN_VALUE;

        char c() default '<';

        int i() default Integer.MIN_VALUE;

        long l() default Long.MIN_VALUE;

        float f() default Float.MIN_VALUE;

        double d() default Double.NaN;

        String text() default "\"quotes\" & <tags>\n\u00e9 \u65e5 \ud83d\ude00";

        String[] texts() default {"one", "", "three"};

        int[] ints() default {1, -1};

        long[] none() default {};
    }
}
